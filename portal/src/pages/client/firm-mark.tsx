// Client: a firm's initials, for quick recognition.
import classes from './firm-mark.module.css';

const TONES = 6;

/** The colour depends only on the name. Adds no information to the name beside it. */
export function FirmMark({ name }: { name: string }) {
  const sum = [...name].reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0);
  return (
    <span className={classes.mark} data-tone={sum % TONES} aria-hidden>
      {initials(name)}
    </span>
  );
}

/** The first letters of the first two words. */
const initials = (name: string): string =>
  name
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .slice(0, 2)
    .map((word) => word.charAt(0).toUpperCase())
    .join('');
