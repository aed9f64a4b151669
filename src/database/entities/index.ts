// Database: every entity, for the ORM and for whoever walks the privacy tiers.
import {
  AccessCall,
  AccessDay,
  AccessKey,
  AccessOrigin,
  AccessPair,
  AccessRecord,
  AccessShape,
  AccessWriter,
  FirmRefusal,
  RecordArchive,
  RecordArchiveMonth,
  StrangerDay,
} from './access-record.ts';
import { ApiKey, KeyEvent } from './api-key.ts';
import { Change, ChangeLog, DatabaseRun, DeletedId, DeletedItem, ItemChange, Removal, Revocation } from './change.ts';
import { Document } from './document.ts';
import { ErasedSubject, LegalHold } from './erasure.ts';
import { ItemCompleteness, PortfolioTotal } from './figures.ts';
import { Firm, FirmEvent, FirmIdentity, FirmInvitation } from './firm.ts';
import { Grant, GrantEvent } from './grant.ts';
import { Collection, Item, ItemCollection, ShareLink } from './item.ts';
import {
  Ledger,
  LedgerBatch,
  LedgerBegin,
  LedgerBundle,
  LedgerErasure,
  LedgerPending,
  LedgerPublication,
  LedgerStep,
  LedgerSubject,
  LedgerTile,
  LedgerWitness,
} from './ledger.ts';
import { BriefLimit, GatewayProcess, LimitShadow, LimitSum } from './limits.ts';
import { MutedTopic, Notice, NoticeLook, PersonZone } from './notice.ts';
import { Plant, PlantAccount, PlantToken } from './plant.ts';
import {
  AccountEvent,
  Allowance,
  PortalAccount,
  PortalCredential,
  PortalPasskey,
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
  AccessCall,
  AccessDay,
  AccessKey,
  AccessOrigin,
  AccessPair,
  AccessRecord,
  AccessShape,
  AccessWriter,
  FirmRefusal,
  StrangerDay,
  AccountEvent,
  Allowance,
  ApiKey,
  BriefLimit,
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
  ErasedSubject,
  Firm,
  FirmEvent,
  FirmIdentity,
  FirmInvitation,
  GatewayProcess,
  Grant,
  GrantEvent,
  Item,
  ItemChange,
  ItemCollection,
  ItemCompleteness,
  KeyEvent,
  Ledger,
  LedgerBatch,
  LedgerBegin,
  LedgerBundle,
  LedgerErasure,
  LedgerPending,
  LedgerPublication,
  LedgerStep,
  LedgerSubject,
  LedgerTile,
  LedgerWitness,
  LegalHold,
  LimitShadow,
  LimitSum,
  MutedTopic,
  Notice,
  NoticeLook,
  PersonZone,
  Plant,
  PlantAccount,
  PlantToken,
  PortalAccount,
  PortalCredential,
  PortalPasskey,
  PortalSecondFactor,
  PortalSession,
  PortalUsedCode,
  PortalVerification,
  PortfolioTotal,
  RecordArchive,
  RecordArchiveMonth,
  Removal,
  Revocation,
  ServiceToken,
  ShareLink,
  SigningKey,
  User,
  Valuation,
  ValuationSource,
];
