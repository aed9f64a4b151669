// Components: English as it is written where the reader is: the order of dates, the signs of numbers, the clock.

const { region } = new Intl.Locale(navigator.language).maximize();

/** `en-DE`: the texts are English everywhere. */
export const LOCALE = `en-${region ?? 'GB'}`;

export const list = new Intl.ListFormat(LOCALE, { type: 'conjunction' });
