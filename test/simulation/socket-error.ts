/** The errors of undici, by their codes. */
function socketError(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}

export const connectionLost = () => socketError('other side closed', 'UND_ERR_SOCKET');
export const notConnected = () => socketError('connect ECONNREFUSED', 'ECONNREFUSED');
export const noHeaders = () => socketError('Headers Timeout Error', 'UND_ERR_HEADERS_TIMEOUT');
export const stalled = () => socketError('Body Timeout Error', 'UND_ERR_BODY_TIMEOUT');
