// Command line: every command, in the order the help lists them.
import type { CommandHost } from '../index.ts';
import { registerMigrate } from './migrate.ts';

export const commands: ((host: CommandHost) => void)[] = [registerMigrate];
