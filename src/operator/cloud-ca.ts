import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { wrongSetting } from '../config/settings-table.ts';

/** Checked to be certificates. Undefined without this setting. @throws {SettingsError} */
export async function cloudCa(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const wrong = (why: string) => wrongSetting('cloud-ca-file', file, `must be a file with certificates in PEM (${why})`);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw wrong(error instanceof Error && 'code' in error ? String(error.code) : 'it cannot be read');
  });
  const certificates = text.match(/-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gsu) ?? [];
  if (certificates.length === 0) throw wrong('there is none in it');
  for (const [at, pem] of certificates.entries()) {
    if (!isCertificate(pem)) throw wrong(`number ${at + 1} in it is broken`);
  }
  return certificates.join('\n');
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false; // the caller reports its position in the file
  }
}
