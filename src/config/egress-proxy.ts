export interface EgressProxySetting {
  readonly url: string;
  readonly noProxy: string;
}

const protocols = ['http:', 'https:', 'socks5:'];

/**
 * Reads the proxy from the environment as curl and Go do: `HTTPS_PROXY` and `NO_PROXY`, or in lower case. `HTTP_PROXY`
 * is ignored, since the cloud uses https. A URL without a scheme means http. Pure.
 * @returns an error without the value: a proxy's URL may hold a password
 */
export function egressProxy(
  environment: Readonly<Record<string, string | undefined>>,
): { readonly proxy: EgressProxySetting | undefined; readonly error?: undefined } | { readonly error: string } {
  const given = [environment['https_proxy'], environment['HTTPS_PROXY']].find((text) => text !== undefined && text !== '');
  if (given === undefined) return { proxy: undefined };
  const text = given.includes('://') ? given : `http://${given}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !protocols.includes(url.protocol) || url.hostname === '')
    return { error: 'HTTPS_PROXY: must be the URL of a proxy, such as http://proxy.example.com:3128' };
  return { proxy: { url: url.href, noProxy: environment['no_proxy'] || environment['NO_PROXY'] || '' } };
}
