// Imported before a program (`node --import`): at its end, writes which packages and which modules of the program itself it
// has loaded to the file that LOADED_PACKAGES names.
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
