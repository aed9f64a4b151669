// REST facade, reference: the addresses of the files that the page loads.
export const ASSETS = {
  style: '/docs/reference.css',
  script: '/docs/reference.js',
  font: '/docs/inter.woff2',
} as const;
