// Components: lengths by the size of text that the browser is set to.

/** So many pixels are `rem` of the page's text. */
export const pixels = (rem: number): number =>
  rem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
