import { AsyncLocalStorage } from 'node:async_hooks';
import type { Dispatcher } from 'undici';

/** The client's side of a request: as undici calls a handler, without a socket. */
export interface PendingRequest {
  /** The client has its whole reply, or an error. */
  readonly isOver: boolean;
  /** Runs a function in the asynchronous context of the request. */
  inContext(act: () => void): void;
  /** Undici writes the request now. @returns false if the client gave it up */
  begin(): boolean;
  head(status: number, headers: Readonly<Record<string, string>>): void;
  data(text: string): void;
  end(): void;
  fail(error: Error): void;
}

type Handler = Dispatcher.DispatchHandler;

/** @param onOver called once, when the request is over, also after an abort by the client */
export function pendingRequest(handler: Handler, onOver: () => void): PendingRequest {
  const inContext = AsyncLocalStorage.snapshot();
  const state = { isOver: false, isAborted: false, isPaused: false };
  /** The parts of the body that a paused client has not taken. */
  let parts: (() => void)[] = [];
  const over = () => {
    if (state.isOver) return false;
    state.isOver = true;
    onOver();
    return true;
  };
  const fail = (error: Error) => {
    if (over()) handler.onResponseError?.(controller, error);
  };
  const take = (part: () => void) => {
    parts.push(part);
    flush();
  };
  const flush = () => {
    while (!state.isPaused && !state.isOver) {
      const part = parts.shift();
      if (!part) return;
      part();
    }
  };
  const controller: Dispatcher.DispatchController = {
    get aborted() {
      return state.isAborted;
    },
    get paused() {
      return state.isPaused;
    },
    reason: null,
    rawHeaders: [],
    rawTrailers: [],
    abort(reason) {
      if (state.isOver || state.isAborted) return;
      state.isAborted = true;
      queueMicrotask(() => fail(reason));
    },
    pause: () => void (state.isPaused = true),
    resume() {
      state.isPaused = false;
      flush();
    },
  };
  const isLeft = () => state.isOver || state.isAborted;
  return {
    get isOver() {
      return state.isOver;
    },
    inContext,
    begin() {
      if (isLeft()) return false;
      handler.onRequestStart?.(controller, {});
      return !isLeft();
    },
    head(status, headers) {
      if (!state.isOver) handler.onResponseStart?.(controller, status, { ...headers }, '');
    },
    data: (text) => take(() => handler.onResponseData?.(controller, Buffer.from(text))),
    end: () =>
      take(() => {
        if (over()) handler.onResponseEnd?.(controller, {});
      }),
    fail,
  };
}
