// Imported before a program (`node --import`): at its end, writes which packages it has loaded to the file that LOADED_PACKAGES names.
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const packages = new Set<string>();

registerHooks({
  load(url, context, next) {
    const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
    if (name !== undefined) packages.add(name);
    return next(url, context);
  },
});

process.on('exit', () => {
  if (process.env.LOADED_PACKAGES !== undefined)
    writeFileSync(process.env.LOADED_PACKAGES, JSON.stringify([...packages]));
});
