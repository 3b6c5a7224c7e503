import * as z from 'zod';
import { connectionAnnotations } from './connection-secret.ts';

type Texts = Readonly<Record<string, string>>;

/** Labels and annotations that a user wants on a connection Secret. */
export interface AskedTexts {
  readonly labels?: Texts | undefined;
  readonly annotations?: Texts | undefined;
}

const names = z.object({ labels: z.array(z.string()).default([]), annotations: z.array(z.string()).default([]) });

/** What is written down of it: the names alone. */
export function askedText({ labels = {}, annotations = {} }: AskedTexts): string {
  return JSON.stringify({ labels: Object.keys(labels).toSorted(), annotations: Object.keys(annotations).toSorted() });
}

/** A Secret's labels and annotations without those that were asked for earlier: what is asked for now is put on anew. */
export function withoutAsked(metadata: {
  readonly labels?: Texts | undefined;
  readonly annotations?: Texts | undefined;
}): Required<AskedTexts> {
  const { labels = {}, annotations = {} } = metadata;
  const asked = askedNames(annotations[connectionAnnotations.asked]);
  return { labels: without(labels, asked.labels), annotations: without(annotations, asked.annotations) };
}

/** The names that were asked for, as a Secret has them written down. */
export function askedNames(text: string | undefined): z.output<typeof names> {
  const none = { labels: [], annotations: [] };
  if (text === undefined) return none;
  try {
    return names.safeParse(JSON.parse(text)).data ?? none;
  } catch {
    return none; // somebody wrote something else there: then nothing is taken off
  }
}

function without(texts: Texts, left: readonly string[]): Texts {
  return Object.fromEntries(Object.entries(texts).filter(([name]) => !left.includes(name)));
}
