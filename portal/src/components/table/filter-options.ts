// Components: the options of a filter whose chosen value may not be listed.

interface Option {
  value: string;
  label: string;
}

interface Group {
  group: string;
  items: Option[];
}

interface Names {
  /** Of the option without a filter. */
  all: string;
  /** Of the chosen value while it is not listed. */
  chosen: string;
}

/** For a filter that can have these values only. */
export const isOneOf =
  (options: readonly { value: string }[]) =>
  (value: string): boolean =>
    options.some((option) => option.value === value);

/**
 * Adds the option without a filter, and the chosen value if it is not listed, because the list is not loaded or the
 * value comes from elsewhere: a select without the option of its value shows the first one.
 */
export function filterOptions(
  value: string | null,
  listed: readonly (Option | Group)[],
  { all, chosen }: Names,
): (Option | Group)[] {
  const options = listed.flatMap((one) => ('items' in one ? one.items : [one]));
  const known = !value || options.some((option) => option.value === value);
  return [{ value: '', label: all }, ...(known ? [] : [{ value, label: chosen }]), ...listed];
}
