// A certificate authority, and certificates of servers that it issues.

import { execFile } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unprivilegedUser } from '#test/support/binaries.ts';

export interface Authority {
  /** PEM file with the certificate of the authority. */
  ca: string;
  /** Certificate and key for these names and addresses; only PostgreSQL's user can read the key. */
  issue(...names: string[]): Promise<{ cert: string; key: string }>;
  remove(): void;
}

export async function makeAuthority(name: string): Promise<Authority> {
  const directory = mkdtempSync(join(tmpdir(), 'portico-authority-'));
  chmodSync(directory, 0o755);
  const openssl = (...words: string[]) => promisify(execFile)('openssl', words, { cwd: directory });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  await openssl('req', '-x509', ...newKey, '-subj', `/CN=${name}`, '-keyout', 'ca.key', '-out', 'ca.pem');
  let issued = 0;
  return {
    ca: join(directory, 'ca.pem'),
    async issue(...names) {
      const at = `server-${++issued}`;
      const alternatives = names.map((one) => `${/^[\d.]+$/.test(one) ? 'IP' : 'DNS'}:${one}`).join(',');
      writeFileSync(join(directory, `${at}.cnf`), `subjectAltName=${alternatives}`);
      await openssl('req', ...newKey, '-subj', `/CN=${names[0]}`, '-keyout', `${at}.key`, '-out', `${at}.csr`);
      const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', `${at}.cnf`, '-days', '2'];
      await openssl('x509', '-req', '-in', `${at}.csr`, ...by, '-out', `${at}.pem`);
      const files = { cert: join(directory, `${at}.pem`), key: join(directory, `${at}.key`) };
      const user = unprivilegedUser();
      if (user) chownSync(files.key, user.uid, user.gid);
      chmodSync(files.key, 0o600);
      return files;
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
