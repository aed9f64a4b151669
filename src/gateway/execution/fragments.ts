// Gateway: fragments of documents, and prepared documents with inlined fragments, so that pruning only meets fields.
import { type DocumentNode, type FragmentDefinitionNode, Kind, type SelectionNode, visit } from 'graphql';

/** Fragments by name. */
export function fragmentsOf({ definitions }: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
}

/** Inlines all fragments. The document is valid, so every fragment exists and there are no cycles. */
export function writeFragmentsOut(document: DocumentNode): DocumentNode {
  const fragments = fragmentsOf(document);
  const definitions = document.definitions.filter(({ kind }) => kind !== Kind.FRAGMENT_DEFINITION);
  const fieldsOf = (selection: SelectionNode): readonly SelectionNode[] => {
    if (selection.kind !== Kind.FRAGMENT_SPREAD) return [selection];
    if ((selection.directives ?? []).length > 0)
      throw new Error('a prepared document asks for fields, never for fragments');
    return fragments.get(selection.name.value)?.selectionSet.selections.flatMap(fieldsOf) ?? [];
  };
  return visit(
    { ...document, definitions },
    { SelectionSet: (set) => ({ ...set, selections: set.selections.flatMap(fieldsOf) }) },
  );
}
