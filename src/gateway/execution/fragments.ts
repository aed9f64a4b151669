// Gateway: the fragments of a prepared document, written out where they are spread: pruning then meets fields only.
import { type DocumentNode, type FragmentDefinitionNode, Kind, type SelectionNode, visit } from 'graphql';

/** The document without its fragments. It is valid: every fragment that is spread is there, and none spreads itself. */
export function writeFragmentsOut(document: DocumentNode): DocumentNode {
  const fragments = new Map<string, FragmentDefinitionNode>();
  const definitions = document.definitions.filter((definition) => {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
    return definition.kind !== Kind.FRAGMENT_DEFINITION;
  });
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
