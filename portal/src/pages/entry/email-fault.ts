// Entry: a basic check of an e-mail address.

export const emailFault = (email: string): string | null => (email.includes('@') ? null : 'Enter an e-mail address.');
