// Components: English in the regional format of the reader: order of dates, number signs, clock.

const { region } = new Intl.Locale(navigator.language).maximize();

/** For instance `en-DE`. Texts are always English. */
export const LOCALE = `en-${region ?? 'GB'}`;

export const list = new Intl.ListFormat(LOCALE, { type: 'conjunction' });
