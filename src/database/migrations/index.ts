// Database: the migrations in order. Forward only; a landed one never changes.
import { Migration0001Reference } from './Migration0001Reference.ts';
import { Migration0002Accounts } from './Migration0002Accounts.ts';
import { Migration0003Portfolio } from './Migration0003Portfolio.ts';
import { Migration0004ChangeTracking } from './Migration0004ChangeTracking.ts';
import { Migration0005PortalAccounts } from './Migration0005PortalAccounts.ts';
import { Migration0006AccessActivity } from './Migration0006AccessActivity.ts';
import { Migration0007PortfolioChanges } from './Migration0007PortfolioChanges.ts';
import { Migration0008PortfolioTotals } from './Migration0008PortfolioTotals.ts';
import { Migration0009DocumentCompleteness } from './Migration0009DocumentCompleteness.ts';
import { Migration0010AdmissionTogether } from './Migration0010AdmissionTogether.ts';
import { Migration0011WalksCovered } from './Migration0011WalksCovered.ts';
import { Migration0012Editions } from './Migration0012Editions.ts';
import { Migration0013AccessChanges } from './Migration0013AccessChanges.ts';
import { Migration0014ChangeLog } from './Migration0014ChangeLog.ts';
import { Migration0015ReportingCurrency } from './Migration0015ReportingCurrency.ts';

export const migrations = [
  Migration0001Reference,
  Migration0002Accounts,
  Migration0003Portfolio,
  Migration0004ChangeTracking,
  Migration0005PortalAccounts,
  Migration0006AccessActivity,
  Migration0007PortfolioChanges,
  Migration0008PortfolioTotals,
  Migration0009DocumentCompleteness,
  Migration0010AdmissionTogether,
  Migration0011WalksCovered,
  Migration0012Editions,
  Migration0013AccessChanges,
  Migration0014ChangeLog,
  Migration0015ReportingCurrency,
].map((migration) => ({ name: migration.name, class: migration }));
