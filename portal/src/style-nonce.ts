// Portal: the nonce of this response, for style elements that the component library creates.

export const styleNonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

/** The scroll lock of dialogs reads the nonce from this name. */
export function lendStyleNonce(): void {
  Object.assign(globalThis, { __webpack_nonce__: styleNonce() });
}
