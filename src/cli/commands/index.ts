// Command line: all commands, in the order of the help. Each is loaded when it is run or listed.
import type { CommandHost } from '../host.ts';

type Register = (host: CommandHost) => void;

export const COMMANDS: Record<string, () => Promise<Register>> = {
  serve: async () => (await import('./serve.ts')).registerServe,
  migrate: async () => (await import('./migrate.ts')).registerMigrate,
  import: async () => (await import('./import.ts')).registerImport,
  demo: async () => (await import('./demo.ts')).registerDemo,
  generate: async () => (await import('./generate.ts')).registerGenerate,
  firm: async () => (await import('./firm.ts')).registerFirm,
  user: async () => (await import('./user.ts')).registerUser,
  client: async () => (await import('./client.ts')).registerClient,
  key: async () => (await import('./key.ts')).registerKey,
  grant: async () => (await import('./grant.ts')).registerGrant,
  'plant-token': async () => (await import('./tokens.ts')).registerPlantToken,
  'service-token': async () => (await import('./tokens.ts')).registerServiceToken,
  receipt: async () => (await import('./receipt.ts')).registerReceipt,
  ledger: async () => (await import('./ledger.ts')).registerLedger,
  restore: async () => (await import('./restore.ts')).registerRestore,
  access: async () => (await import('./access.ts')).registerAccess,
  limits: async () => (await import('./limits.ts')).registerLimits,
  config: async () => (await import('./config.ts')).registerConfig,
  doctor: async () => (await import('./doctor.ts')).registerDoctor,
  artefacts: async () => (await import('./artefacts.ts')).registerArtefacts,
};
