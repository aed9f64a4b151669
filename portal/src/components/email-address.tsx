// An e-mail address where there is little room: it breaks before its @ rather than within a word.

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
