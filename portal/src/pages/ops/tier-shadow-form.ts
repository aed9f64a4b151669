// Operations: the form for a tier's shadow mode, loaded on demand.
export { TierShadowForm as default } from './shadow-form.tsx';
