// The platform as a whole and the gateway that executes on it, which need each other.
import type { Platform } from '#gateway/execution/context.ts';
import { createExecute, type Schemas } from '#gateway/execution/execute.ts';
import { createGateway, type Gateway } from '#gateway/gateway.ts';
import { createAnswerAs } from '#rest-facade/answer-as.ts';
import type { Version } from '#versions/change.ts';
import { createNegotiator } from '#versions/negotiate.ts';

/** What requests share, less what follows from the gateway itself. */
export type PlatformParts = Omit<Platform, 'answerAs' | 'versions'>;

interface Opened {
  platform: Platform;
  gateway: Gateway;
}

export function openGateway(
  schemas: Schemas,
  parts: PlatformParts,
  versions: readonly Version[],
  hooks: Pick<Gateway, 'events' | 'traced' | 'tellsTimes'>,
): Opened {
  const negotiator = createNegotiator(versions);
  const platform: Platform = {
    ...parts,
    // The facade executes through the platform, which in turn shows answers of the facade.
    answerAs: (...asked) => answerAs(...asked),
    versions: negotiator.dates,
  };
  const execute = createExecute(schemas, platform);
  const gateway = createGateway({ platform, execute, negotiator, ...hooks });
  const answerAs = createAnswerAs(gateway, schemas);
  return { platform, gateway };
}
