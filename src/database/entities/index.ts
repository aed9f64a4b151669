// Database: all entities, for the ORM and for tests of privacy tiers: everything that the files of this folder define.
import './access-record.ts';
import './api-key.ts';
import './change.ts';
import './document.ts';
import './erasure.ts';
import './figures.ts';
import './firm.ts';
import './grant.ts';
import './item.ts';
import './ledger.ts';
import './limits.ts';
import './notice.ts';
import './plant.ts';
import './portal-account.ts';
import './reference.ts';
import './service-token.ts';
import './signing-key.ts';
import './user.ts';
import './valuation.ts';

export { entities } from './entity.ts';
