import { Background, Handle, Position, ReactFlow, type Edge, type Node, type NodeProps } from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { useMemo } from 'react';
import type { AccessGraph, GraphNode } from '../../logic/accessGraph.js';
import classes from './Access.module.css';
import type { DrawingProps } from './drawingProps.js';

const COLUMN_PX = 290;
const ROW_PX = 72;
const KINDS = { person: 'Person', way: 'Through', resource: 'Resource', bundle: 'Several' } as const;

type Point = Node<{ point: GraphNode }>;

function PointView({ data: { point } }: NodeProps<Point>) {
  return (
    <div
      className={classes['node']}
      data-kind={point.kind}
      data-effective={point.isEffective || undefined}
      title={point.label}
    >
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <div className={classes['kind']}>
        {KINDS[point.kind]}
        {point.detail !== null && ` · ${point.detail}`}
      </div>
      <div className={classes['label']} dir="auto">
        {point.label}
      </div>
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  );
}

const nodeTypes = { point: PointView };

function toFlow(graph: AccessGraph): { nodes: Point[]; edges: Edge[] } {
  return {
    nodes: graph.nodes.map((point) => ({
      id: point.id,
      type: 'point',
      position: { x: point.column * COLUMN_PX, y: point.row * ROW_PX },
      data: { point },
    })),
    edges: graph.edges.map(({ from, to, isEffective }) => ({
      id: JSON.stringify([from, to]),
      source: from,
      target: to,
      style: isEffective
        ? { stroke: 'var(--mantine-color-indigo-filled)', strokeWidth: 2 }
        : { stroke: 'var(--mantine-color-dimmed)', strokeDasharray: '4 4' },
    })),
  };
}

/** The drawing. It is a picture of what the list has, so the keyboard skips it. */
export function Drawing({ graph, label, onOpen }: DrawingProps) {
  const { nodes, edges } = useMemo(() => toFlow(graph), [graph]);
  return (
    <figure aria-label={label} style={{ height: '100%', margin: 0 }}>
      <ReactFlow
        key={`${graph.nodes.length} ${graph.nodes[0]?.id ?? ''}`}
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        fitView
        fitViewOptions={{ padding: 0.15, maxZoom: 1 }}
        minZoom={0.1}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={onOpen !== undefined}
        disableKeyboardA11y
        onNodeClick={(_event, { data: { point } }) => onOpen?.(point)}
        proOptions={{ hideAttribution: true }}
      >
        <Background color="var(--gh-line)" />
      </ReactFlow>
    </figure>
  );
}
