/** Makes one story of the failures of a server: it is away, and then it is back. */
export interface Outage {
  /** A request came to nothing. */
  failed(error: unknown): void;
  /** A request was answered, whatever the answer. */
  answered(): void;
}

export interface OutageOptions {
  /** Told once, of the first failure after {@link OutageOptions.patienceMs} without an answer. */
  readonly onBegin: (error: unknown) => void;
  /** Told once, with how long it lasted. Only for an outage that was told. */
  readonly onEnd: (lastedMs: number) => void;
  /** A failure that others are answered soon after is none of the server. Real time. */
  readonly patienceMs: number;
  /** Steady time in milliseconds. */
  readonly now?: () => number;
}

export function outage({ onBegin, onEnd, patienceMs, now = () => performance.now() }: OutageOptions): Outage {
  let since: number | undefined;
  let isTold = false;
  return {
    failed(error) {
      since ??= now();
      if (isTold || now() - since < patienceMs) return;
      isTold = true;
      onBegin(error);
    },
    answered() {
      const began = since;
      const wasTold = isTold;
      since = undefined;
      isTold = false;
      if (wasTold && began !== undefined) onEnd(now() - began);
    },
  };
}
