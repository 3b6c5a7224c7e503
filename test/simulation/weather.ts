/** Likelihoods, from 0 to 1, for each request to a server. */
export interface RequestWeather {
  /** The request is lost, and the connection breaks. */
  readonly lost: number;
  /** The request is carried out, and the connection breaks before the reply. */
  readonly replyLost: number;
  /** The request is carried out, and no reply ever comes. */
  readonly unanswered: number;
  /** A change is carried out later than its caller waits. */
  readonly late: number;
  /** A 5xx instead of the request. */
  readonly errorBefore: number;
  /** A 5xx after the request was carried out. */
  readonly errorAfter: number;
  /** The 404 page of a gateway, which carries nothing out. */
  readonly gatewayPage: number;
  /** The request travels for seconds. */
  readonly slow: number;
}

/** Likelihoods of a simulation. The weather is a budget: with many failures of the API server no Lease lives. */
export interface Weather {
  readonly cloud: RequestWeather;
  readonly kubernetes: RequestWeather;
  /** For each watch: its lines lag by up to 15 seconds. */
  readonly watchLag: number;
  /** For each line of a watch: the connection breaks after it. */
  readonly watchBreak: number;
  /** For each line of a watch: the connection is dead, and nothing shows it until the stall limit. */
  readonly watchSilence: number;
  /** For each watch that continues from a version: the server has forgotten this version. */
  readonly watchExpired: number;
}

const calmRequests: RequestWeather = {
  lost: 0,
  replyLost: 0,
  unanswered: 0,
  late: 0,
  errorBefore: 0,
  errorAfter: 0,
  gatewayPage: 0,
  slow: 0,
};

/** No fault at all. */
export const calm: Weather = {
  cloud: calmRequests,
  kubernetes: calmRequests,
  watchLag: 0,
  watchBreak: 0,
  watchSilence: 0,
  watchExpired: 0,
};

/** Every fault, each seldom enough that the operator makes progress. */
export const rough: Weather = {
  cloud: {
    lost: 0.02,
    replyLost: 0.03,
    unanswered: 0.01,
    late: 0.02,
    errorBefore: 0.03,
    errorAfter: 0.02,
    gatewayPage: 0.02,
    slow: 0.05,
  },
  kubernetes: {
    lost: 0.01,
    replyLost: 0.01,
    unanswered: 0.002,
    late: 0.01,
    errorBefore: 0.01,
    errorAfter: 0.01,
    gatewayPage: 0.005,
    slow: 0.01,
  },
  watchLag: 0.3,
  watchBreak: 0.03,
  watchSilence: 0.005,
  watchExpired: 0.1,
};

export const weathers = { calm, rough } as const;

/** The harm to a single call of a process. */
export type Harm =
  /** The process dies before it sends the request. */
  | { readonly kind: 'dieBefore' }
  /** The request is carried out, and the process dies before the reply. */
  | { readonly kind: 'dieUnanswered' }
  /** The process dies when it has the reply. */
  | { readonly kind: 'dieAnswered' }
  /** The process freezes before it sends the request, and sends it when it thaws. */
  | { readonly kind: 'freezeBefore'; readonly forMs: number }
  /** The request is carried out, and the process is frozen when the reply comes. */
  | { readonly kind: 'freezeAnswered'; readonly forMs: number }
  /** No connection: nothing leaves the process. */
  | { readonly kind: 'notSent' }
  /** The request is carried out, and the connection breaks before the reply. */
  | { readonly kind: 'answerLost' }
  /** The reply is an error, and nothing is carried out. */
  | { readonly kind: 'refused'; readonly status: number }
  /** The reply is an error, although the request is carried out. */
  | { readonly kind: 'errorAfter'; readonly status: number }
  /** The reply is the 404 page of a gateway, and nothing is carried out. */
  | { readonly kind: 'gatewayPage' };

/** The harms by their names on the command line. The two freezes outlast a Lease, and all deadlines of a call. */
export const harms = {
  dieBefore: { kind: 'dieBefore' },
  dieUnanswered: { kind: 'dieUnanswered' },
  dieAnswered: { kind: 'dieAnswered' },
  freezeBefore: { kind: 'freezeBefore', forMs: 40_000 },
  freezeAnswered: { kind: 'freezeAnswered', forMs: 40_000 },
  freezeLong: { kind: 'freezeBefore', forMs: 230_000 },
  notSent: { kind: 'notSent' },
  answerLost: { kind: 'answerLost' },
  refused: { kind: 'refused', status: 500 },
  errorAfter: { kind: 'errorAfter', status: 502 },
  gatewayPage: { kind: 'gatewayPage' },
} as const satisfies Readonly<Record<string, Harm>>;
