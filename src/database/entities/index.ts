// Database: all entities, for the ORM and for tests of privacy tiers: everything that the files of this folder define.
import * as accessRecord from './access-record.ts';
import * as apiKey from './api-key.ts';
import * as change from './change.ts';
import * as document from './document.ts';
import * as erasure from './erasure.ts';
import * as figures from './figures.ts';
import * as firm from './firm.ts';
import * as grant from './grant.ts';
import * as item from './item.ts';
import * as ledger from './ledger.ts';
import * as limits from './limits.ts';
import * as notice from './notice.ts';
import * as plant from './plant.ts';
import * as portalAccount from './portal-account.ts';
import * as reference from './reference.ts';
import * as serviceToken from './service-token.ts';
import * as signingKey from './signing-key.ts';
import * as user from './user.ts';
import * as valuation from './valuation.ts';

export const entities = [
  accessRecord,
  apiKey,
  change,
  document,
  erasure,
  figures,
  firm,
  grant,
  item,
  ledger,
  limits,
  notice,
  plant,
  portalAccount,
  reference,
  serviceToken,
  signingKey,
  user,
  valuation,
].flatMap((file) => Object.values(file));
