import * as z from 'zod';
import { connectionAnnotations } from './connection-secret.ts';

type Texts = Readonly<Record<string, string>>;

export interface AskedTexts {
  readonly labels?: Texts | undefined;
  readonly annotations?: Texts | undefined;
}

const names = z.object({ labels: z.array(z.string()).default([]), annotations: z.array(z.string()).default([]) });

/** Records the names that the spec asked for, without their values. */
export function askedText({ labels = {}, annotations = {} }: AskedTexts): string {
  return JSON.stringify({ labels: Object.keys(labels).toSorted(), annotations: Object.keys(annotations).toSorted() });
}

/** Labels and annotations of a Secret without those that the spec asked for earlier. */
export function withoutAsked(metadata: {
  readonly labels?: Texts | undefined;
  readonly annotations?: Texts | undefined;
}): Required<AskedTexts> {
  const { labels = {}, annotations = {} } = metadata;
  const asked = askedNames(annotations[connectionAnnotations.asked]);
  return { labels: without(labels, asked.labels), annotations: without(annotations, asked.annotations) };
}

export function askedNames(text: string | undefined): z.output<typeof names> {
  const none = { labels: [], annotations: [] };
  if (text === undefined) return none;
  try {
    return names.safeParse(JSON.parse(text)).data ?? none;
  } catch {
    return none; // not written by the operator: remove nothing
  }
}

function without(texts: Texts, left: readonly string[]): Texts {
  return Object.fromEntries(Object.entries(texts).filter(([name]) => !left.includes(name)));
}
