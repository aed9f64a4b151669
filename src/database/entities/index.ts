// Database: every entity, for the ORM and for whoever walks the privacy tiers.
import { AccessDay, AccessRecord } from './access-record.ts';
import { ApiKey, KeyEvent } from './api-key.ts';
import { Change, ChangeLog, DatabaseRun, DeletedId, DeletedItem, ItemChange, Removal, Revocation } from './change.ts';
import { Document } from './document.ts';
import { ItemCompleteness, PortfolioTotal } from './figures.ts';
import { Firm, FirmEvent } from './firm.ts';
import { Grant, GrantEvent } from './grant.ts';
import { Collection, Item, ItemCollection, ShareLink } from './item.ts';
import { LimitShadow } from './limit-shadow.ts';
import { MutedTopic, Notice, NoticeLook } from './notice.ts';
import { Plant, PlantAccount, PlantToken } from './plant.ts';
import {
  Allowance,
  PortalAccount,
  PortalCredential,
  PortalSecondFactor,
  PortalSession,
  PortalUsedCode,
  PortalVerification,
} from './portal-account.ts';
import { Category, Deployment, DocumentType, ValuationSource } from './reference.ts';
import { ServiceToken } from './service-token.ts';
import { SigningKey } from './signing-key.ts';
import { User } from './user.ts';
import { Valuation } from './valuation.ts';

export const entities = [
  AccessDay,
  AccessRecord,
  Allowance,
  ApiKey,
  Category,
  Change,
  ChangeLog,
  Collection,
  DatabaseRun,
  DeletedId,
  DeletedItem,
  Deployment,
  Document,
  DocumentType,
  Firm,
  FirmEvent,
  Grant,
  GrantEvent,
  Item,
  ItemChange,
  ItemCollection,
  ItemCompleteness,
  KeyEvent,
  LimitShadow,
  MutedTopic,
  Notice,
  NoticeLook,
  Plant,
  PlantAccount,
  PlantToken,
  PortalAccount,
  PortalCredential,
  PortalSecondFactor,
  PortalSession,
  PortalUsedCode,
  PortalVerification,
  PortfolioTotal,
  Removal,
  Revocation,
  ServiceToken,
  ShareLink,
  SigningKey,
  User,
  Valuation,
  ValuationSource,
];
