// Test support: builds and runs the image of the Dockerfile with docker, or with podman, which needs no daemon.

import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findBinary } from '#test/support/binaries.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);
const BUILD_MS = 1_200_000;
const PULL_MS = 300_000;

export interface ContainerEngine {
  /** The engine and the source of its base images, for the report. */
  readonly description: string;
  /** Builds the image of this repository and tags it. */
  build(tag: string): Promise<void>;
  /** Runs a command of the engine and returns its output. */
  run(...words: string[]): Promise<string>;
  /** Options that `run` and `create` need with this engine. */
  readonly runOptions: readonly string[];
}

interface Bases {
  from: string;
  build: string;
  runtime: string;
}

/** Throws if this machine has neither engine, or no base image can be pulled or made. */
export async function findContainerEngine(): Promise<ContainerEngine> {
  const [program, ...global] = await engineWords();
  const own = program === 'podman' ? ['--ulimit', 'nofile=1024:4096', '--ulimit', 'nproc=4096:4096'] : [];
  const engine = async (...words: string[]) => {
    const options = { cwd: root, timeout: BUILD_MS, maxBuffer: 1 << 26 };
    return (await run(program, [...global, ...words], options)).stdout.trim();
  };
  const bases = await findBases(engine);
  const local = program === 'podman' ? ['--isolation', 'chroot', '--layers=false', '--format', 'docker', ...own] : [];
  return {
    description: `${program}, base images ${bases.from}`,
    runOptions: own,
    run: engine,
    async build(tag) {
      const directory = mkdtempSync(join(tmpdir(), 'portico-image-'));
      try {
        const npmrc = join(directory, 'npmrc');
        const authority = process.env.NODE_EXTRA_CA_CERTS;
        writeFileSync(npmrc, npmSettings(authority));
        const trust = authority !== undefined && program === 'podman' ? ['-v', `${authority}:${authority}:ro`] : [];
        const base = ['--build-arg', `BUILD_IMAGE=${bases.build}`, '--build-arg', `RUNTIME_IMAGE=${bases.runtime}`];
        const secret = ['--secret', `id=npmrc,src=${npmrc}`];
        await engine('build', ...local, '--network', 'host', ...base, ...secret, ...trust, '-t', tag, '.');
      } finally {
        rmSync(directory, { recursive: true });
      }
    },
  };
}

/** The npm settings of the person who runs the tests, and the authority that they trust. */
function npmSettings(authority: string | undefined): string {
  const own = join(homedir(), '.npmrc');
  return `${existsSync(own) ? readFileSync(own, 'utf8') : ''}\n${authority === undefined ? '' : `cafile=${authority}\n`}`;
}

async function engineWords(): Promise<[string, ...string[]]> {
  const works = (program: string) =>
    run(program, ['info'], { timeout: 60_000 }).then(
      () => true,
      () => false,
    );
  if (await works('docker')) return ['docker'];
  // Works without a service manager; runc supports both versions of control groups.
  if (await works('podman'))
    return ['podman', '--cgroup-manager', 'cgroupfs', ...(findBinary('runc') ? ['--runtime', 'runc'] : [])];
  throw new Error('The tests of the image need an engine and found none: install podman with runc, or start docker.');
}

async function findBases(engine: ContainerEngine['run']): Promise<Bases> {
  const defaults = { build: defaultOf('BUILD_IMAGE'), runtime: defaultOf('RUNTIME_IMAGE') };
  const there = (image: string) =>
    engine('image', 'inspect', image).then(
      () => true,
      () => false,
    );
  const pulled = async (image: string) =>
    (await there(image)) ||
    engine('pull', image).then(
      () => true,
      () => false,
    );
  if ((await pulled(defaults.build)) && (await pulled(defaults.runtime)))
    return { from: 'as the Dockerfile names them', ...defaults };
  const made = { build: 'localhost/portico-test-build:bookworm', runtime: 'localhost/portico-test-runtime:bookworm' };
  if (!(await there(made.runtime))) await bootstrap(engine, made.runtime);
  await addNode(engine, made);
  return { from: 'made by debootstrap, since the named ones could not be pulled', ...made };
}

/** The default of a build argument in the Dockerfile. */
function defaultOf(argument: string): string {
  const [, value = ''] =
    new RegExp(`^ARG ${argument}=(\\S+)$`, 'm').exec(readFileSync(join(root, 'Dockerfile'), 'utf8')) ?? [];
  return value;
}

/** Makes a minimal Debian, like the default runtime image. It is kept, as a pulled one would be. */
async function bootstrap(engine: ContainerEngine['run'], tag: string): Promise<void> {
  const debootstrap = findBinary('debootstrap');
  if (debootstrap === undefined)
    throw new Error('No base image could be pulled, and there is no debootstrap to make one: install debootstrap.');
  const directory = mkdtempSync(join(tmpdir(), 'portico-base-'));
  try {
    const system = join(directory, 'system');
    await run(debootstrap, ['--variant=minbase', 'bookworm', system], { timeout: BUILD_MS, maxBuffer: 1 << 26 });
    const archive = join(directory, 'system.tar');
    await run('tar', ['-C', system, '-cf', archive, '.'], { timeout: PULL_MS });
    await engine('import', archive, tag);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Adds Node and npm, those of this machine, as an image of Node has them. */
async function addNode(engine: ContainerEngine['run'], { build, runtime }: Omit<Bases, 'from'>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'portico-base-'));
  try {
    const npm = join((await run('npm', ['root', '--global'])).stdout.trim(), 'npm');
    cpSync(process.execPath, join(directory, 'node'), { dereference: true });
    cpSync(npm, join(directory, 'npm'), { recursive: true });
    writeFileSync(
      join(directory, 'Dockerfile'),
      `FROM ${runtime}
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm\n`,
    );
    const words = ['--isolation', 'chroot', '--layers=false', '--ulimit', 'nofile=1024:4096'];
    await engine('build', ...words, '-t', build, directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
