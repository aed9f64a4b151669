// Components: text as a QR code.
import { useMemo } from 'react';
import { encode } from 'uqr';
import classes from './qr-code.module.css';

/** Black on white in both schemes, as cameras expect. `title` says what it is, and where the text can be read. */
export function QrCode({ text, title }: { text: string; title: string }) {
  const { path, size } = useMemo(() => {
    const { data, size: modules } = encode(text, { border: 0 });
    const dark = data.flatMap((row, y) => row.flatMap((on, x) => (on ? [`M${x} ${y}h1v1h-1z`] : [])));
    return { path: dark.join(''), size: modules };
  }, [text]);
  return (
    <svg viewBox={`0 0 ${size} ${size}`} className={classes.qr} role="img" shapeRendering="crispEdges">
      <title>{title}</title>
      <path d={path} />
    </svg>
  );
}
