// Theme: colours, type and defaults of components; both schemes meet WCAG AA.
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

/** The accent colour, a deep green. */
const pine: MantineColorsTuple = [
  '#eef7f5',
  '#d9ece8',
  '#b0d8d1',
  '#84c3b9',
  '#5db0a4',
  '#3b9a8d',
  '#21837a',
  '#136b62',
  '#0e5750',
  '#0a443f',
];

/** For destructive actions; white text on it is readable. */
const red: MantineColorsTuple = [
  '#fdf3f2',
  '#fbe3e1',
  '#f5c2be',
  '#ec9a93',
  '#e4776e',
  '#d0453a',
  '#bf2f25',
  '#b42318',
  '#931d14',
  '#74160f',
];

const gray: MantineColorsTuple = [
  '#f7f8f8',
  '#f0f2f2',
  '#e4e7e7',
  '#d5dada',
  '#b7bfbf',
  '#7d8787',
  '#5d6868',
  '#454e4e',
  '#2d3535',
  '#182020',
];

const dark: MantineColorsTuple = [
  '#e6eaea',
  '#c3cbcb',
  '#9faaaa',
  '#8e9a9a',
  '#353f41',
  '#273032',
  '#1c2426',
  '#12181a',
  '#0d1214',
  '#090d0e',
];

export const theme = createTheme({
  primaryColor: 'pine',
  primaryShade: { light: 7, dark: 7 },
  colors: { pine, red, gray, dark },
  black: '#182020',
  fontFamily: "'Inter Variable', system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'Liberation Mono', monospace",
  fontSizes: { xs: '0.8125rem', sm: '0.875rem', md: '0.9375rem', lg: '1.0625rem', xl: '1.25rem' },
  lineHeights: { xs: '1.45', sm: '1.5', md: '1.55', lg: '1.55', xl: '1.4' },
  headings: {
    fontWeight: '600',
    textWrap: 'balance',
    sizes: {
      h1: { fontSize: '1.625rem', lineHeight: '1.25' },
      h2: { fontSize: '1.1875rem', lineHeight: '1.35' },
      h3: { fontSize: '1rem', lineHeight: '1.45' },
    },
  },
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '12px', xl: '16px' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  shadows: {
    xs: '0 1px 2px rgb(16 24 24 / 6%)',
    sm: '0 1px 3px rgb(16 24 24 / 8%), 0 1px 2px rgb(16 24 24 / 4%)',
    md: '0 8px 24px -6px rgb(16 24 24 / 14%), 0 2px 6px rgb(16 24 24 / 6%)',
    lg: '0 16px 40px -8px rgb(16 24 24 / 18%), 0 4px 10px rgb(16 24 24 / 6%)',
    xl: '0 24px 64px -12px rgb(16 24 24 / 26%)',
  },
  components: {
    Modal: {
      defaultProps: {
        centered: true,
        radius: 'lg',
        padding: 'xl',
        overlayProps: { backgroundOpacity: 0.45 },
        closeButtonProps: { 'aria-label': 'Close' },
      },
    },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Menu: { defaultProps: { shadow: 'md', radius: 'md', transitionProps: { duration: 80 } } },
    Tooltip: { defaultProps: { openDelay: 300, radius: 'sm', events: { hover: true, focus: true, touch: true } } },
    Anchor: { defaultProps: { underline: 'hover' } },
    Skeleton: { defaultProps: { radius: 'sm' } },
    // By default the library makes it reachable by pointer only.
    PasswordInput: { defaultProps: { visibilityToggleFocusable: true } },
  },
});

/** Overrides colours that the library renders too faint for small text, or too close to the background. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': gray[6],
    '--mantine-color-placeholder': '#6a7474',
    '--mantine-color-error': '#b3261e',
    '--mantine-color-success': '#11694c',
    '--mantine-color-default-border': gray[3],
    '--mantine-color-disabled-color': gray[6],
    '--portico-surface': gray[0],
    '--portico-line': gray[2],
    '--portico-control': gray[5],
    '--portico-warning': '#8a4b00',
    '--portico-chart-ok': '#2d9185',
    '--portico-chart-refused': '#e0a13c',
    '--portico-chart-limited': '#8b74c9',
    '--portico-chart-failed': '#c8463d',
  },
  dark: {
    '--mantine-color-dimmed': dark[2],
    '--mantine-color-placeholder': dark[2],
    '--mantine-color-error': '#ff9a92',
    '--mantine-color-success': '#6fd1ae',
    '--mantine-color-default-border': dark[4],
    '--mantine-color-disabled-color': dark[2],
    '--portico-surface': '#161d1f',
    '--portico-line': '#283133',
    '--portico-control': '#687679',
    '--portico-warning': '#f0b46a',
    '--portico-chart-ok': '#3fa698',
    '--portico-chart-refused': '#dba24a',
    '--portico-chart-limited': '#9d8ad8',
    '--portico-chart-failed': '#e0665c',
  },
});
