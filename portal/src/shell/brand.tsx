// Shell: logo and name.
import classes from './brand.module.css';

export function Brand() {
  return (
    <span className={classes.brand}>
      <svg viewBox="0 0 24 24" className={classes.mark} aria-hidden="true">
        <path d="M12 2.5 22 8v2H2V8l10-5.500ZM4 11.500h2.500v7H4v-7Zm6.750 0h2.500v7h-2.500v-7Zm6.750 0H20v7h-2.500v-7ZM2 20h20v2H2v-2Z" />
      </svg>
      Portico
    </span>
  );
}
