// Components: an e-mail address that wraps before its @ instead of within a word.

export function EmailAddress({ of }: { of: string }) {
  const at = of.lastIndexOf('@');
  return (
    <>
      {of.slice(0, at)}
      <wbr />
      {of.slice(at)}
    </>
  );
}
