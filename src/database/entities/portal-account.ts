// Database: accounts of the portal, with their sessions, credentials, open links and second factors.
import { defineEntity, p } from '@mikro-orm/core';
import { P0, P1, P2 } from './tier.ts';

export const PortalAccount = defineEntity({
  name: 'PortalAccount',
  tableName: 'portal_accounts',
  properties: {
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
  },
});

export const PortalSession = defineEntity({
  name: 'PortalSession',
  tableName: 'portal_sessions',
  properties: {
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
  },
});

export const PortalCredential = defineEntity({
  name: 'PortalCredential',
  tableName: 'portal_credentials',
  properties: {
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
  },
});

export const PortalVerification = defineEntity({
  name: 'PortalVerification',
  tableName: 'portal_verifications',
  properties: {
    id: P2(p.text()).primary(),
    lookupKey: P0(p.text()),
    heldValue: P0(p.text()),
    sessionEpoch: P2(p.integer()).nullable(),
    expiresAt: P2(p.datetime(3)),
    createdAt: P2(p.datetime(3)),
    updatedAt: P2(p.datetime(3)),
  },
});

export const PortalSecondFactor = defineEntity({
  name: 'PortalSecondFactor',
  tableName: 'portal_second_factors',
  properties: {
    id: P2(p.text()).primary(),
    accountId: P2(p.text()),
    totpSecret: P0(p.text()),
    recoveryCodes: P0(p.text()),
    verified: P2(p.boolean()),
    failedVerificationCount: P2(p.integer()),
    lockedUntil: P2(p.datetime(3)).nullable(),
  },
});

export const PortalPasskey = defineEntity({
  name: 'PortalPasskey',
  tableName: 'portal_passkeys',
  properties: {
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
  },
});

export const AccountEvent = defineEntity({
  name: 'AccountEvent',
  tableName: 'account_events',
  properties: {
    id: P2(p.bigint()).primary().autoincrement(),
    accountId: P2(p.text()),
    at: P2(p.datetime(3)),
    actor: P2(p.text()),
    action: P2(p.text()),
    details: P1(p.json()),
  },
});

export const PortalUsedCode = defineEntity({
  name: 'PortalUsedCode',
  tableName: 'portal_used_codes',
  properties: {
    accountId: P2(p.text()).primary(),
    usedCode: P0(p.text()).primary(),
    usedAt: P2(p.datetime(3)),
  },
});

export const Allowance = defineEntity({
  name: 'Allowance',
  tableName: 'allowances',
  properties: {
    subject: P2(p.text()).primary(),
    taken: P2(p.array()),
    forgetAfter: P2(p.datetime(3)),
  },
});
