// Operations: the form of a tier's shadow mode, loaded when it is opened.
export { TierShadowForm as default } from './shadow-form.tsx';
