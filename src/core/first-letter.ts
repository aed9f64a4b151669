// Core: the first letter of words, at the beginning of a sentence and within one.

export const upperFirst = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

export const lowerFirst = (words: string): string => words.charAt(0).toLowerCase() + words.slice(1);
