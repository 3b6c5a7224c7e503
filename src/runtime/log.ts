/** Where the runtime tells what people should know, and whoever uses it as well. A logger of pino fits. Fields first: never a secret, never an object. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
