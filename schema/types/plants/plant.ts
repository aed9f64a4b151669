// Schema: the plant store.

import { MAX_NAME, MAX_PLANTS, MAX_TAG } from '#core/plant-limits.ts';
import { requireAccount } from '#gateway/execution/context.ts';
import { createPlant, deletePlant, listPlants, type Plant as PlantShape } from '#repositories/plants.ts';
import { builder } from '../../builder.ts';
import { exposing } from '../../exposed.ts';

const Plant = builder.objectRef<PlantShape>('Plant').implement({
  description: 'A plant of the store.',
  fields: exposing('plants', {
    name: ['String', 'The name of the plant.'],
    tag: ['String?', 'Tag to specify the type.'],
  }),
});

builder.queryField('plants', (t) =>
  t.field({
    type: [Plant],
    authScopes: { plants: true },
    args: { limit: t.arg.int({ required: true, description: `1 to ${MAX_PLANTS}.` }) },
    resolve: (_root, { limit }, context) => listPlants(context.database, requireAccount(context), limit),
  }),
);

builder.mutationFields((t) => ({
  createPlant: t.field({
    type: Plant,
    authScopes: { plants: true },
    args: {
      id: t.arg({ type: 'Int64', required: true }),
      name: t.arg.string({ required: true, description: `1 to ${MAX_NAME} characters.` }),
      tag: t.arg.string({ description: `Up to ${MAX_TAG} characters.` }),
    },
    resolve: (_root, { id, name, tag }, context) =>
      createPlant(context.database, requireAccount(context), id, { name, tag: tag ?? null }),
  }),
  deletePlant: t.field({
    type: 'Boolean',
    authScopes: { plants: true },
    args: { id: t.arg({ type: 'Int64', required: true }) },
    resolve: async (_root, { id }, context) => {
      await deletePlant(context.database, requireAccount(context), id);
      return true;
    },
  }),
}));
