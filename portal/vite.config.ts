// Portal: the build of the client, and the names on which the server relies.
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

const core = path('../src/core');
const styles = path('../node_modules/@mantine/core/styles');

/** Includes only the styles of the components that are used: the complete style sheet is three times their size. */
function componentStyles(): Plugin {
  return {
    name: 'component-styles',
    transform(code, id) {
      if (!/@mantine\/core\/esm\/.*\.module\.mjs$/.test(id)) return null;
      const sheet = `${styles}/${basename(id, '.module.mjs')}.layer.css`;
      return existsSync(sheet) ? { code: `import '${sheet}';\n${code}`, map: null, moduleSideEffects: true } : null;
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  base: '/portal/',
  plugins: [react(), componentStyles()],
  resolve: { alias: { '#core': core } },
  // The server replaces it by the nonce of each response.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    target: 'es2023',
    // Keeps light-dark(): its transpiled form does not follow a scheme chosen in the page.
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    outDir: 'dist',
    emptyOutDir: true,
    // Nothing inline: the policy forbids data: scripts and fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Each file costs a request with its headers, and is compressed separately. So there is not one for every
          // part that two pages share.
          groups: [
            { name: 'portal', tags: ['$initial'], priority: 1 },
            { name: 'shared', minShareCount: 4 },
            { name: 'figures', test: /components\/(?:charts\/|meter|table\/figures)/ },
            // The start page of operations; what it opens is loaded on demand.
            { name: 'limits', test: /pages\/ops\/(?!.*(?:form|drawer|what-if))/ },
          ],
        },
      },
    },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
  },
});
