// Database: accounts of the portal, with their sessions, credentials, open links and second factors.
import { entity, p } from './entity.ts';
import { P0, P1, P2 } from './tier.ts';

export const PortalAccount = entity('PortalAccount', 'portal_accounts', {
  id: P2(p.text()).primary(),
  email: P1(p.text()),
  name: P1(p.text()),
  emailVerified: P2(p.boolean()),
  image: P1(p.text()).nullable(),
  twoFactorEnabled: P1(p.boolean()),
  sessionEpoch: P2(p.integer()),
  formerUsers: P2(p.array()),
  createdAt: P2(p.datetime(3)),
  updatedAt: P2(p.datetime(3)),
});

export const PortalSession = entity('PortalSession', 'portal_sessions', {
  id: P2(p.text()).primary(),
  accountId: P2(p.text()),
  sessionToken: P0(p.text()),
  actingUserId: P2(p.text()),
  provider: P2(p.text()).nullable(),
  ipAddress: P1(p.text()).nullable(),
  userAgent: P1(p.text()).nullable(),
  newDevice: P2(p.boolean()),
  withSecondFactor: P2(p.boolean()),
  sessionEpoch: P2(p.integer()).nullable(),
  expiresAt: P2(p.datetime(3)),
  createdAt: P2(p.datetime(3)),
  updatedAt: P2(p.datetime(3)),
});

export const PortalCredential = entity('PortalCredential', 'portal_credentials', {
  id: P2(p.text()).primary(),
  accountId: P2(p.text()),
  provider: P2(p.text()),
  subject: P1(p.text()),
  passwordHash: P0(p.text()).nullable(),
  oauthAccess: P0(p.text()).nullable(),
  oauthAccessExpiresAt: P2(p.datetime(3)).nullable(),
  oauthRefresh: P0(p.text()).nullable(),
  oauthRefreshExpiresAt: P2(p.datetime(3)).nullable(),
  oauthIdentity: P0(p.text()).nullable(),
  oauthScope: P2(p.text()).nullable(),
  createdAt: P2(p.datetime(3)),
  updatedAt: P2(p.datetime(3)),
});

export const PortalVerification = entity('PortalVerification', 'portal_verifications', {
  id: P2(p.text()).primary(),
  lookupKey: P0(p.text()),
  heldValue: P0(p.text()),
  sessionEpoch: P2(p.integer()).nullable(),
  expiresAt: P2(p.datetime(3)),
  createdAt: P2(p.datetime(3)),
  updatedAt: P2(p.datetime(3)),
});

export const PortalSecondFactor = entity('PortalSecondFactor', 'portal_second_factors', {
  id: P2(p.text()).primary(),
  accountId: P2(p.text()),
  totpSecret: P0(p.text()),
  recoveryCodes: P0(p.text()),
  verified: P2(p.boolean()),
  failedVerificationCount: P2(p.integer()),
  lockedUntil: P2(p.datetime(3)).nullable(),
});

export const PortalPasskey = entity('PortalPasskey', 'portal_passkeys', {
  id: P2(p.text()).primary(),
  accountId: P2(p.text()),
  name: P1(p.text()),
  credentialId: P0(p.text()),
  publicKey: P0(p.blob()),
  counter: P2(p.bigint()),
  transports: P2(p.array()),
  synced: P2(p.boolean()),
  createdAt: P2(p.datetime(3)),
  lastUsedAt: P2(p.datetime(3)).nullable(),
});

export const AccountEvent = entity('AccountEvent', 'account_events', {
  id: P2(p.bigint()).primary().autoincrement(),
  accountId: P2(p.text()),
  at: P2(p.datetime(3)),
  actor: P2(p.text()),
  action: P2(p.text()),
  details: P1(p.json()),
});

export const PortalUsedCode = entity('PortalUsedCode', 'portal_used_codes', {
  accountId: P2(p.text()).primary(),
  usedCode: P0(p.text()).primary(),
  usedAt: P2(p.datetime(3)),
});

export const Allowance = entity('Allowance', 'allowances', {
  subject: P2(p.text()).primary(),
  taken: P2(p.array()),
  forgetAfter: P2(p.datetime(3)),
});
