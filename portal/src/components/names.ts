// Components: names chosen by users within sentences, whose text direction must not affect the words around them.
import { createElement, Fragment, type ReactElement } from 'react';

/** A part of a sentence: strings are names, other parts are not. */
export type Part = string | number | ReactElement | null;

/** A sentence with names, which get `<bdi>`: withNames`Revoke “${key.name}”?`. */
export const withNames = (words: TemplateStringsArray, ...parts: readonly Part[]): ReactElement =>
  createElement(Fragment, null, ...words.flatMap((text, at) => [text, nameOrPart(parts[at])]));

const nameOrPart = (part: Part | undefined) => (typeof part === 'string' ? createElement('bdi', null, part) : part);

/** Words that are no name, as a part of a sentence. */
export const plain = (words: string): ReactElement => createElement(Fragment, null, words);

/** A name within a plain string, such as the label of an option, where `<bdi>` is not possible. */
export const isolated = (name: string): string => `\u2068${name}\u2069`;
