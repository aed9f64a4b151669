// Portal: how the client is built and which names the server may rely on.
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

const core = path('../src/core');
const styles = path('../node_modules/@mantine/core/styles');

/** Each component of the library brings its own styles: the whole sheet is three times what the portal uses. */
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
  // The server puts the nonce of each answer in its place.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    target: 'es2023',
    // light-dark() as it stands: what it would be rewritten to does not follow a scheme chosen in the page.
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    outDir: 'dist',
    emptyOutDir: true,
    // Nothing inline: the policy lets no data: script or font through.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Each file costs a request and its head, and is compressed by itself: so not one for every part that two pages share.
          groups: [
            { name: 'portal', tags: ['$initial'], priority: 1 },
            { name: 'shared', minShareCount: 4 },
            { name: 'figures', test: /components\/(?:charts\/|meter)/ },
            // The page that operations begin with; what is opened from it comes when it is.
            { name: 'limits', test: /pages\/ops\/(?!.*(?:form|drawer|what-if))/ },
          ],
        },
      },
    },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
  },
});
