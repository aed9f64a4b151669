// Repositories: templates of synthetic items. The number of a category's lines determines its frequency.

export interface Template {
  category: string;
  title: string;
  fields: Record<string, unknown>;
  /** Range of market values. */
  low: number;
  high: number;
}

/** Names of a client's collections. */
export const COLLECTIONS = ['Main residence', 'Family trust', 'On loan', 'To be sold'];

const of = (category: string, title: string, fields: Record<string, unknown>, low: number, high: number): Template => ({
  category,
  title,
  fields,
  low,
  high,
});

// biome-ignore format: a table
export const TEMPLATES: readonly Template[] = [
  of('PM', 'Gold bar, 1 kg', { metal: 'gold', purity: 0.9999, weight_g: 1000, form: 'bar', refiner: 'PAMP' }, 58_000, 96_000),
  of('PM', 'Gold bar, 100 g', { metal: 'gold', purity: 0.9999, weight_g: 100, form: 'bar', refiner: 'Valcambi' }, 5_900, 9_700),
  of('PM', 'Silver bar, 5 kg', { metal: 'silver', purity: 0.999, weight_g: 5000, form: 'bar', refiner: 'Umicore' }, 3_800, 6_200),
  of('PM', 'Platinum bar, 50 g', { metal: 'platinum', purity: 0.9995, weight_g: 50, form: 'bar' }, 1_500, 2_300),
  of('WT', 'Rolex Submariner Date', { brand: 'Rolex', model: 'Submariner', reference: '16610', movement: 'automatic' }, 8_000, 14_000),
  of('WT', 'Patek Philippe Calatrava', { brand: 'Patek Philippe', model: 'Calatrava', reference: '5196G' }, 19_000, 32_000),
  of('WT', 'Omega Speedmaster Professional', { brand: 'Omega', model: 'Speedmaster', reference: '145.022' }, 4_500, 9_000),
  of('WT', 'Audemars Piguet Royal Oak', { brand: 'Audemars Piguet', model: 'Royal Oak', reference: '15400ST' }, 28_000, 52_000),
  of('JW', 'Diamond rivière necklace', { type: 'necklace', metal: 'platinum', gemstones: 'diamond' }, 12_000, 85_000),
  of('JW', 'Sapphire cluster ring', { type: 'ring', metal: '18 ct gold', gemstones: 'sapphire, diamond' }, 2_500, 18_000),
  of('JW', 'Cultured pearl strand', { type: 'necklace', gemstones: 'pearl', maker: 'Mikimoto' }, 1_200, 9_500),
  of('GM', 'Round brilliant diamond', { stone: 'diamond', certification: 'GIA', carat: 2.01, cut: 'excellent', colour: 'F', clarity: 'VS1' }, 18_000, 41_000),
  of('GM', 'Unheated Ceylon sapphire', { stone: 'sapphire', certification: 'SSEF', carat: 5.32, origin: 'Sri Lanka' }, 15_000, 60_000),
  of('AR', 'Lithograph, signed and numbered', { medium: 'lithograph', edition: '75', signed: true }, 900, 14_000),
  of('AR', 'Landscape in oils', { medium: 'oil on canvas', signed: true, year: 'c. 1890' }, 3_000, 70_000),
  of('AR', 'Bronze figure', { medium: 'bronze', signed: false, dimensions: '42 cm' }, 2_000, 35_000),
  of('WN', 'Château Margaux', { producer: 'Château Margaux', vintage: 2005, region: 'Bordeaux', bottle_size_ml: 750 }, 450, 900),
  of('WN', 'Single malt whisky, 25 years', { producer: 'Macallan', region: 'Speyside', bottle_size_ml: 700 }, 1_200, 3_400),
  of('CN', 'Double eagle', { country: 'United States', denomination: '20 dollars', year: 1924, grade: 'MS-64' }, 2_100, 3_300),
  of('CN', 'Gold sovereign', { country: 'United Kingdom', denomination: '1 pound', year: 1911 }, 520, 880),
  of('VH', 'Porsche 911 Carrera', { make: 'Porsche', model: '911 Carrera 3.2', year: 1987, colour: 'Grand Prix white' }, 58_000, 110_000),
  of('VH', 'Jaguar E-Type', { make: 'Jaguar', model: 'E-Type Series 1', year: 1965, colour: 'opalescent blue' }, 82_000, 190_000),
  of('BK', 'First edition in its dust jacket', { binding: 'cloth', edition: 'first', signed: false }, 400, 16_000),
  of('MI', 'Violin with bow and case', { instrument: 'violin', year: 1895 }, 4_000, 48_000),
  of('FA', 'Georgian mahogany chest of drawers', { type: 'chest', period: 'George III', material: 'mahogany' }, 1_100, 7_800),
  of('FA', 'Pair of Louis XVI armchairs', { type: 'chairs', period: 'Louis XVI', material: 'beech' }, 2_400, 22_000),
  of('CL', 'Vintage camera with lens', { type: 'camera', maker: 'Leica', year: 1954, condition: 'very good' }, 900, 5_600),
  of('OT', 'Household effects', {}, 100, 2_500),
];

/** With the approximate value of one unit of the templates' values. */
export const REPORTING_CURRENCIES: readonly (readonly [code: string, factor: number])[] = [
  ['USD', 1],
  ['EUR', 1],
  ['GBP', 1],
  ['CHF', 1],
  ['JPY', 150],
];
