// Risk: characters of an address that have a meaning in a URL turn its mailto link into something else.

import { expect, it } from 'vitest';
import { mailTo } from '../../portal/src/components/mail-to.ts';

it.each([
  ['mary@example.com', 'mailto:mary@example.com'],
  ['mary+estate@example.com', 'mailto:mary%2Bestate@example.com'],
  ['a?cc=b&bcc=c@example.com', 'mailto:a%3Fcc%3Db%26bcc%3Dc@example.com'],
  ['50%25#x@example.com', 'mailto:50%2525%23x@example.com'],
])('a link to %s is a mail to it and nothing else', (address, link) => {
  expect(mailTo(address)).toBe(link);
  expect(decodeURIComponent(new URL(mailTo(address)).pathname)).toBe(address);
});

it('a subject is escaped in the link', () => {
  const link = mailTo('a&b@example.com', 'Access for “A & B” ends soon?');
  expect(new URL(link).searchParams.get('subject')).toBe('Access for “A & B” ends soon?');
  expect([...new URL(link).searchParams.keys()]).toEqual(['subject']);
});
