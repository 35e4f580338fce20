import SwiftSyntax

extension SyntaxProtocol {
    /// Where its text begins, without the blanks and comments before it.
    var from: Int { positionAfterSkippingLeadingTrivia.utf8Offset }
    var to: Int { endPositionBeforeTrailingTrivia.utf8Offset }

    /// The statement or member around it.
    var statement: Syntax? {
        var node = parent
        while let found = node, !found.is(CodeBlockItemSyntax.self), !found.is(MemberBlockItemSyntax.self) {
            node = found.parent
        }
        return node
    }

    /// Whether the parts of a mutant may be shown inside this one.
    var isContext: Bool {
        if self.is(ClosureExprSyntax.self) { return false }
        return self.is(ExprSyntax.self)
            || [
                .labeledExpr, .labeledExprList, .arrayElement, .arrayElementList, .conditionElement, .initializerClause,
                .patternBinding, .patternBindingList, .variableDecl, .returnStmt, .functionParameter,
            ].contains(kind)
    }

    /// Whether it is a condition, or a part of one, that is made true and false as a whole.
    var isCondition: Bool {
        guard let parent else { return false }
        if parent.is(ConditionElementSyntax.self) || parent.is(WhereClauseSyntax.self) { return true }
        if let choice = parent.as(TernaryExprSyntax.self) { return choice.condition.id == id }
        return parent.isChain(of: "&&") || parent.isChain(of: "||")
    }

    /// Whether it asks if there is anything at all, as `!waiting.isEmpty` does: mostly to save time, for what comes then
    /// does nothing with nothing.
    var asksForAnything: Bool {
        guard let negation = self.as(PrefixOperatorExprSyntax.self), negation.operator.text == "!" else { return false }
        return negation.expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "isEmpty"
    }

    /// Whether it is there to save work: what it guards does nothing, or finds out the same, where it does not hold.
    var savesWork: Bool { comparesHashes || isSavingQuestion }

    private var isSavingQuestion: Bool {
        let asked = self.as(FunctionCallExprSyntax.self)?.calledExpression ?? self.as(ExprSyntax.self)
        return DecisionCode.savingQuestions.contains(asked?.lastName ?? "")
    }

    /// Whether it compares hashes, as `hash == other.hash` does: to save time, for the bytes are compared, too.
    private var comparesHashes: Bool {
        guard isChain(of: "=="), let comparison = self.as(InfixOperatorExprSyntax.self) else { return false }
        return DecisionCode.hashes.contains(comparison.leftOperand.lastName ?? "")
    }

    /// Whether it asks for the same object before something else asks whether two are equal: to save time.
    var asksForIdentity: Bool { isChain(of: "===") }

    /// Whether it is operands joined by that operator.
    func isChain(of name: String) -> Bool {
        self.as(InfixOperatorExprSyntax.self)?.operator.as(BinaryOperatorExprSyntax.self)?.operator.text == name
    }
}

extension InfixOperatorExprSyntax {
    /// Whether it joins texts or lists.
    var isText: Bool {
        [leftOperand, rightOperand].contains { operand in
            operand.is(StringLiteralExprSyntax.self) || operand.is(ArrayExprSyntax.self)
                || operand.as(InfixOperatorExprSyntax.self)?.isText ?? false
        }
    }
}

extension ExprSyntax {
    /// The name of what is called: `f` of `f()` and of `a.f()`.
    var lastName: String? {
        self.as(DeclReferenceExprSyntax.self)?.baseName.text
            ?? self.as(MemberAccessExprSyntax.self)?.declName.baseName.text
    }
}
