import SwiftOperators
import SwiftParser
import SwiftSyntax

/// Finds the decisions in a source file, and makes mutants of them.
final class MutantFinder: SyntaxVisitor {
    private var file: MutatedFile
    /// The names of the types and the function around.
    private var scope: [String] = []
    /// Constants of which one more is the same as the border's mutant.
    private var skippedLiterals: Set<SyntaxIdentifier> = []

    /// A file with its mutants; the numbers begin with `first`.
    static func find(in name: String, _ source: String, first: Int, refused: Set<Mutant.Key>) -> MutatedFile {
        let tree = OperatorTable.standardOperators.foldAll(Parser.parse(source: source)) { _ in }
        let finder = MutantFinder(
            MutatedFile(name: name, source: source, tree: tree, first: first, refused: refused))
        finder.walk(tree)
        return finder.file
    }

    private init(_ file: MutatedFile) {
        self.file = file
        super.init(viewMode: .sourceAccurate)
    }

    private func mutant(of node: some SyntaxProtocol, is text: String, kind: Mutant.OperatorKind? = nil) -> Int? {
        file.mutant(of: node, is: text, in: scope, kind: kind)
    }

    private func text(of node: some SyntaxProtocol) -> String { file.bytes(node.from, node.to) }

    /// Visits a node with calls around it: `_not(7, ` and `)`. Those that are `nil` are left out.
    private func wrap(_ node: some SyntaxProtocol, _ calls: [(name: String, number: Int?)]) {
        let made = calls.compactMap { call in call.number.map { "\(call.name)(\($0), " } }
        file.insert(made.joined(), at: node.from)
        walk(node)
        file.insert(String(repeating: ")", count: made.count), at: node.to)
    }

    // MARK: Conditions

    override func visit(_ node: ConditionElementListSyntax) -> SyntaxVisitorContinueKind {
        guard let parent = node.parent, let last = node.last else { return .visitChildren }
        let isLoop = parent.is(WhileStmtSyntax.self)
        for element in node {
            guard case .expression(let condition) = element.condition, !isLoop, !condition.isChain(of: "&&"),
                !condition.is(BooleanLiteralExprSyntax.self), !condition.asksForAnything, !condition.savesWork
            else {
                walk(element)
                continue
            }
            wrap(condition, [("_true", mutant(of: condition, is: "true"))])
        }
        if last.condition.is(AvailabilityConditionSyntax.self) { return .skipChildren }
        // Behind an endless loop, the compiler knows that nothing follows.
        if isLoop, last.condition.is(BooleanLiteralExprSyntax.self) { return .skipChildren }
        let keyword = parent.is(GuardStmtSyntax.self) ? "guard" : isLoop ? "while" : "if"
        if let number = file.mutant(
            at: node, from: "\(keyword) \(text(of: node))", to: "\(keyword) false", in: scope)
        {
            file.insert(", !_mutant(\(number))", at: node.to)
        }
        return .skipChildren
    }

    override func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
        eitherWay(node.condition)
        return .skipChildren
    }

    override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
        eitherWay(node.condition)
        walk(node.thenExpression)
        walk(node.elseExpression)
        return .skipChildren
    }

    private func eitherWay(_ condition: ExprSyntax) {
        wrap(
            condition,
            [
                ("_true", condition.savesWork ? nil : mutant(of: condition, is: "true")),
                ("_false", mutant(of: condition, is: "false")),
            ])
    }

    override func visit(_ node: RepeatStmtSyntax) -> SyntaxVisitorContinueKind {
        walk(node.body)
        wrap(node.condition, [("_false", mutant(of: node.condition, is: "false"))])
        return .skipChildren
    }

    override func visit(_ node: PrefixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        switch node.operator.text {
        case "!" where !node.isCondition:
            insertCall("_not", mutant(of: node, is: text(of: node.expression)), around: node) {
                walk(node.expression)
            }
        case "-":
            if let literal = node.expression.as(IntegerLiteralExprSyntax.self),
                let value = literal.representedLiteralValue
            {
                wrapLeaf(node, "_constant", mutant(of: node, is: "\(1 - value)"))
            } else if let number = mutant(of: node, is: text(of: node.expression)) {
                file.replace(node.from, node.expression.from, by: "_negative(\(number), ")
                walk(node.expression)
                file.insert(")", at: node.to)
            } else {
                walk(node.expression)
            }
        default: return .visitChildren
        }
        return .skipChildren
    }

    private func insertCall(_ name: String, _ number: Int?, around node: some SyntaxProtocol, _ inside: () -> Void) {
        if let number { file.insert("\(name)(\(number), ", at: node.from) }
        inside()
        if number != nil { file.insert(")", at: node.to) }
    }

    // MARK: Operators

    override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        guard let name = node.operator.as(BinaryOperatorExprSyntax.self)?.operator.text else { return .visitChildren }
        if name == "+=" || name == "+", DecisionCode.versionNumbers.contains(node.leftOperand.lastName ?? "") {
            return .skipChildren
        }
        switch name {
        case "&&", "||":
            let (call, value) = name == "&&" ? ("_true", "true") : ("_false", "false")
            for operand in [node.leftOperand, node.rightOperand] {
                if operand.isChain(of: name) || name == "&&" && operand.savesWork
                    || name == "||" && operand.asksForIdentity
                {
                    walk(operand)
                } else {
                    wrap(operand, [(call, mutant(of: operand, is: value))])
                }
            }
        case "==", "!=", "===", "!==":
            let number = node.isCondition ? nil : mutant(of: node, is: replacing(node, Self.opposites[name] ?? name))
            insertCall("_not", number, around: node) {
                walk(node.leftOperand)
                walk(node.rightOperand)
            }
        case "<", "<=", ">", ">=":
            // `a < 3` with its border moved is `a < 4` already.
            skippedLiterals.insert((name == "<" || name == ">=" ? node.rightOperand : node.leftOperand).id)
            let number = node.isCondition ? nil : mutant(of: node, is: replacing(node, Self.opposites[name] ?? name))
            insertCall("_not", number, around: node) { replaceOperator(of: node, name) }
        case "<<", ">>":
            skippedLiterals.insert(node.rightOperand.id)
            return .visitChildren
        case "..<" where text(of: node.leftOperand) == text(of: node.rightOperand):
            // An empty range stays one.
            return .skipChildren
        default:
            guard Self.calls[name] != nil, !node.isText else { return .visitChildren }
            replaceOperator(of: node, name)
        }
        return .skipChildren
    }

    /// Makes `a < b` to `_less(7, a , b)`.
    private func replaceOperator(of node: InfixOperatorExprSyntax, _ name: String) {
        guard let (call, other) = Self.calls[name],
            let number = mutant(
                of: node, is: replacing(node, other), kind: Self.opposites[name] == nil ? .arithmetic : .comparison)
        else {
            walk(node.leftOperand)
            walk(node.rightOperand)
            return
        }
        file.insert("\(call)(\(number), \(name == "+=" || name == "-=" ? "&" : "")", at: node.from)
        walk(node.leftOperand)
        file.replace(node.operator.from, node.operator.to, by: ",")
        walk(node.rightOperand)
        file.insert(")", at: node.to)
    }

    private func replacing(_ node: InfixOperatorExprSyntax, _ name: String) -> String {
        switch name {
        case "..< -1": "\(file.bytes(node.from, node.operator.to))\(file.bytes(node.rightOperand.from, node.to)) - 1"
        default: file.bytes(node.from, node.operator.from) + name + file.bytes(node.operator.to, node.to)
        }
    }

    private static let opposites = [
        "==": "!=", "!=": "==", "===": "!==", "!==": "===", "<": ">=", "<=": ">", ">": "<=", ">=": "<",
    ]

    /// The function in `Template/Mutation.swift`, and what it does instead.
    private static let calls = [
        "<": ("_less", "<="), "<=": ("_lessOrEqual", "<"), ">": ("_greater", ">="), ">=": ("_greaterOrEqual", ">"),
        "+": ("_plus", "-"), "-": ("_minus", "+"), "&+": ("_wrappingPlus", "&-"), "&-": ("_wrappingMinus", "&+"),
        "*": ("_times", "+"), "/": ("_divided", "*"), "%": ("_remainder", "/"), "+=": ("_add", "-="),
        "-=": ("_subtract", "+="), "..<": ("_upTo", "..< -1"), "...": ("_through", "..< -1"),
    ]

    // MARK: Constants

    override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        guard node.literal.text.allSatisfy({ $0.isNumber || $0 == "_" }), let value = node.representedLiteralValue,
            !skippedLiterals.contains(node.id)
        else { return .skipChildren }
        wrapLeaf(node, "_constant", mutant(of: node, is: "\(value + 1)"))
        return .skipChildren
    }

    override func visit(_ node: FloatLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        wrapLeaf(node, "_constant", mutant(of: node, is: "\(node.literal.text) + 1"))
        return .skipChildren
    }

    override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        if !node.isCondition {
            let isTrue = node.literal.tokenKind == .keyword(.true)
            wrapLeaf(node, "_not", mutant(of: node, is: isTrue ? "false" : "true"))
        }
        return .skipChildren
    }

    private func wrapLeaf(_ node: some SyntaxProtocol, _ name: String, _ number: Int?) {
        insertCall(name, number, around: node) {}
    }

    // MARK: Calls

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        if let name = node.calledExpression.lastName, DecisionCode.ignoredCalls.contains(name) { return .skipChildren }
        guard let callee = node.calledExpression.as(DeclReferenceExprSyntax.self),
            let (call, other) = ["min": ("_least", "max"), "max": ("_greatest", "min")][callee.baseName.text],
            let parenthesis = node.leftParen, node.arguments.count == 2,
            node.arguments.allSatisfy({ $0.label == nil }),
            let number = mutant(of: node, is: other + file.bytes(callee.to, node.to))
        else { return .visitChildren }
        file.replace(callee.from, callee.to, by: call)
        file.insert("\(number), ", at: parenthesis.to)
        walk(node.arguments)
        return .skipChildren
    }

    override func visit(_ node: LabeledExprSyntax) -> SyntaxVisitorContinueKind {
        DecisionCode.ignoredArguments.contains(node.label?.text ?? "") ? .skipChildren : .visitChildren
    }

    // MARK: Names

    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name.text) }
    override func visitPost(_ node: StructDeclSyntax) { leave() }
    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name.text) }
    override func visitPost(_ node: ClassDeclSyntax) { leave() }
    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name.text) }
    override func visitPost(_ node: EnumDeclSyntax) { leave() }
    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name.text) }
    override func visitPost(_ node: ProtocolDeclSyntax) { leave() }
    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        let type = node.extendedType.trimmedDescription
        return enter(type) == .skipChildren || DecisionCode.ignoredTypes.contains(type) ? .skipChildren : .visitChildren
    }
    override func visitPost(_ node: ExtensionDeclSyntax) { leave() }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node.name.text + labels(node.signature.parameterClause))
    }
    override func visitPost(_ node: FunctionDeclSyntax) { leave() }
    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
        enter("init" + labels(node.signature.parameterClause))
    }
    override func visitPost(_ node: InitializerDeclSyntax) { leave() }
    override func visit(_ node: SubscriptDeclSyntax) -> SyntaxVisitorContinueKind {
        enter("subscript" + labels(node.parameterClause))
    }
    override func visitPost(_ node: SubscriptDeclSyntax) { leave() }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        guard node.parent?.is(MemberBlockItemSyntax.self) ?? false else { return .visitChildren }
        // What a variable of a type begins with is mostly nothing at all; constants are limits.
        let isVariable = node.bindingSpecifier.tokenKind == .keyword(.var)
        for binding in node.bindings {
            if enter(binding.pattern.trimmedDescription) == .visitChildren, !(isVariable && binding.initializer != nil)
            {
                walk(binding)
            }
            leave()
        }
        return .skipChildren
    }

    private func enter(_ name: String) -> SyntaxVisitorContinueKind {
        scope.append(name)
        let name = name.prefix { $0 != "(" }
        return DecisionCode.ignoredFunctions.contains(String(name)) ? .skipChildren : .visitChildren
    }

    private func leave() { scope.removeLast() }

    private func labels(_ parameters: FunctionParameterClauseSyntax) -> String {
        "(" + parameters.parameters.map { $0.firstName.text + ":" }.joined() + ")"
    }

    // MARK: What is no decision, or cannot be switched while the program runs

    override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: EnumCaseDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: GenericWhereClauseSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: GenericArgumentClauseSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: InlineArrayTypeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}
