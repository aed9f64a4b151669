// Command line: every command, in the order the help lists them.
import type { CommandHost } from '../host.ts';
import { registerAccess } from './access.ts';
import { registerArtefacts } from './artefacts.ts';
import { registerDemo } from './demo.ts';
import { registerFirm } from './firm.ts';
import { registerGenerate } from './generate.ts';
import { registerGrant } from './grant.ts';
import { registerImport } from './import.ts';
import { registerKey } from './key.ts';
import { registerLimits } from './limits.ts';
import { registerMigrate } from './migrate.ts';
import { registerPlantToken } from './plant-token.ts';
import { registerServe } from './serve.ts';
import { registerServiceToken } from './service-token.ts';
import { registerUser } from './user.ts';

export const commands: ((host: CommandHost) => void)[] = [
  registerServe,
  registerMigrate,
  registerImport,
  registerDemo,
  registerGenerate,
  registerFirm,
  registerUser,
  registerKey,
  registerGrant,
  registerPlantToken,
  registerServiceToken,
  registerAccess,
  registerLimits,
  registerArtefacts,
];
