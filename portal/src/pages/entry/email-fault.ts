// Entry: what is wrong with an e-mail address at first sight.

export const emailFault = (email: string): string | null => (email.includes('@') ? null : 'Enter an e-mail address.');
