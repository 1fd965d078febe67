/** The page's nonce: style elements that carry it are let in by the content security policy. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

// Where the part of the component library that locks scrolling looks for it.
(window as unknown as { __webpack_nonce__: string }).__webpack_nonce__ = nonce;
