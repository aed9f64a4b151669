// Imported before a program (`node --import`): at exit, writes the packages and modules that it has loaded to the file
// LOADED_PACKAGES.
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const packages = new Set<string>();
const modules = new Set<string>();
const root = new URL('../../', import.meta.url).href;

registerHooks({
  load(url, context, next) {
    const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
    if (name !== undefined) packages.add(name);
    else if (url.startsWith(root)) modules.add(url.slice(root.length));
    return next(url, context);
  },
});

process.on('exit', () => {
  if (process.env.LOADED_PACKAGES !== undefined)
    writeFileSync(process.env.LOADED_PACKAGES, JSON.stringify({ packages: [...packages], modules: [...modules] }));
});
