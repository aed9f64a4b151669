// Portal: the nonce of this answer, for the few style elements that the component library makes.

export const styleNonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

/** The scroll lock behind dialogs asks for the nonce under this name. */
export function lendStyleNonce(): void {
  Object.assign(globalThis, { __webpack_nonce__: styleNonce() });
}
